#include "scenes/proof_file.h"

#include <algorithm>
#include <optional>

namespace graze::command {

PathProof read_path_proof(const JsonReader& reader, const std::filesystem::path& file) {
  PathProof result;
  const std::filesystem::path folder = file.parent_path();
  const auto place_into = [&](std::string& to) {
    return [&](const Json& value, const std::string& at) {
      to = (folder / reader.text(value, at)).string();
    };
  };
  const auto index_into = [&](std::uint32_t& to) {
    return [&](const Json& value, const std::string& at) { to = reader.index(value, at); };
  };
  const auto number_into = [&](double& to) {
    return [&](const Json& value, const std::string& at) { to = reader.number(value, at); };
  };
  const auto text_into = [&](std::string& to) {
    return [&](const Json& value, const std::string& at) { to = reader.text(value, at); };
  };
  const auto require = [&](const Json& json, const std::string& at, const auto& fields) {
    for (const auto& [key, unused] : fields) reader.require(json, at, {key.c_str()});
    reader.read(json, at, fields);
  };
  const auto two_into = [&](auto& lo, auto& hi) {
    return [&](const Json& value, const std::string& at) {
      if (!value.is_array() || value.size() != 2) reader.fail(at, "must be two numbers");
      const double x = reader.number(value[0], at), y = reader.number(value[1], at);
      if constexpr (std::is_same_v<decltype(lo), double&>) {
        lo = x;
        hi = y;
      } else {
        lo = reader.index(value[0], at);
        hi = reader.index(value[1], at);
      }
    };
  };
  RobotInputs& inputs = result.inputs;
  JsonReader::Fields fields = {
      {"format", [](const Json&, const std::string&) {}},
      {"urdf", place_into(inputs.urdf)},
      {"srdf", place_into(inputs.srdf)},
      {"path", place_into(inputs.path)},
      {"world", place_into(inputs.world)},
      {"margin", number_into(inputs.margin)},
      {"packages",
       [&](const Json& value, const std::string& at) {
         if (!value.is_object()) reader.fail(at, "must be an object");
         for (const auto& [name, place] : value.items())
           inputs.packages.emplace_back(name, folder / reader.text(place, at));
       }},
      {"joints",
       [&](const Json& value, const std::string& at) {
         if (!value.is_object()) reader.fail(at, "must be an object");
         for (const auto& [name, number] : value.items())
           inputs.joints.emplace_back(name, reader.number(number, at));
       }},
      {"margins",
       [&](const Json& value, const std::string& at) {
         reader.each(value, at, [&](const Json& json, const std::string& inner) {
           rigid::PairMargin own;
           require(json, inner,
                   JsonReader::Fields{{"a", text_into(own.a)},
                                      {"b", text_into(own.b)},
                                      {"margin", number_into(own.margin)}});
           inputs.margins.push_back(own);
         });
       }},
      {"hashes",
       [&](const Json& value, const std::string& at) {
         reader.each(value, at, [&](const Json& json, const std::string& inner) {
           std::string name, hash;
           require(json, inner,
                   JsonReader::Fields{{"file", place_into(name)}, {"sha256", text_into(hash)}});
           result.hashes.emplace_back(name, hash);
         });
       }},
      {"pairs",
       [&](const Json& value, const std::string& at) {
         reader.each(value, at, [&](const Json& json, const std::string& inner) {
           rigid::RobotProof::Pair pair;
           require(json, inner,
                   JsonReader::Fields{{"a", text_into(pair.a)},
                                      {"b", text_into(pair.b)},
                                      {"shape_a", index_into(pair.shape_a)},
                                      {"shape_b", index_into(pair.shape_b)},
                                      {"order_a", index_into(pair.order_a)},
                                      {"order_b", index_into(pair.order_b)},
                                      {"margin", number_into(pair.margin)}});
           result.proof.pairs.push_back(pair);
         });
       }},
      {"orders",
       [&](const Json& value, const std::string& at) {
         reader.each(value, at, [&](const Json& json, const std::string& inner) {
           std::vector<std::uint32_t> order;
           reader.each(json, inner, [&](const Json& face, const std::string& where) {
             order.push_back(reader.index(face, where));
           });
           result.proof.orders.push_back(std::move(order));
         });
       }},
      {"intervals", [&](const Json& value, const std::string& at) {
         reader.each(value, at, [&](const Json& json, const std::string& inner) {
           rigid::ProofInterval i;
           require(json, inner,
                   JsonReader::Fields{{"pair", index_into(i.pair)},
                                      {"piece", index_into(i.piece)},
                                      {"s", two_into(i.s0, i.s1)},
                                      {"a", two_into(i.a_begin, i.a_end)},
                                      {"b", two_into(i.b_begin, i.b_end)},
                                      {"normal", [&](const Json& n, const std::string& where) {
                                         i.normal = reader.vector(n, where);
                                       }}});
           result.proof.intervals.push_back(i);
         });
       }}};
  reader.require(reader.json(), "",
                 {"urdf", "path", "margin", "hashes", "pairs", "orders", "intervals"});
  reader.read(reader.json(), "", fields);
  return result;
}

std::vector<QueryProof> read_query_proofs(const JsonReader& reader) {
  std::vector<QueryProof> result;
  const auto nothing = [](const Json&, const std::string&) {};
  const auto read_piece = [&](const Json& json, const std::string& where) {
    CertificatePiece piece;
    reader.require(json, where, {"end", "direction"});
    reader.read(json, where,
                {{"end",
                  [&](const Json& list, const std::string& at) {
                    reader.each(list, at, [&](const Json& x, const std::string& inner) {
                      piece.end.push_back(reader.number(x, inner));
                    });
                  }},
                 {"direction", [&](const Json& list, const std::string& at) {
                    reader.each(list, at, [&](const Json& x, const std::string& inner) {
                      piece.direction.push_back(reader.vectors(x, inner));
                    });
                  }}});
    return piece;
  };
  const auto read_one = [&](const Json& json, const std::string& where) {
    QueryProof read;
    read.proof.verdict = Verdict::separated;
    reader.require(json, where, {"index", "kind", "query", "t_max", "pieces"});
    reader.read(
        json, where,
        {{"index", [&](const Json& v, const std::string& at) { read.index = reader.index(v, at); }},
         {"kind",
          [&](const Json& v, const std::string& at) {
            const std::optional<Kind> kind = find_kind(reader.text(v, at));
            if (kind != Kind::vertex_face && kind != Kind::edge_edge)
              reader.fail(at, "must be \"vertex-face\" or \"edge-edge\"");
            read.kind = *kind;
          }},
         {"query",
          [&](const Json& v, const std::string& at) {
            const std::vector<Vec3> corners = reader.vectors(v, at);
            if (corners.size() != read.corners.size()) reader.fail(at, "must be eight points");
            std::copy(corners.begin(), corners.end(), read.corners.begin());
          }},
         {"t_max",
          [&](const Json& v, const std::string& at) { read.proof.t_max = reader.number(v, at); }},
         {"pieces", [&](const Json& list, const std::string& at) {
            reader.each(list, at, [&](const Json& piece, const std::string& inner) {
              read.proof.pieces.push_back(read_piece(piece, inner));
            });
          }}});
    result.push_back(std::move(read));
  };
  reader.require(reader.json(), "", {"proofs"});
  reader.read(reader.json(), "",
              {{"format", nothing}, {"proofs", [&](const Json& list, const std::string& at) {
                                       reader.each(list, at, read_one);
                                     }}});
  return result;
}

}  // namespace graze::command
