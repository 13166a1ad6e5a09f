#include "arrays.h"
#include "graze/version.h"

PYBIND11_MODULE(_core, module) {
  pybind11::options options;
  options.disable_function_signatures();  // they have the names of types of C++
  module.doc() = "The C++ side of the package graze: translates arrays and releases the GIL.";
  module.attr("version") = std::string(graze::version);
  graze::python::add_steps(module);
  graze::python::add_checks(module);
  graze::python::add_queries(module);
  graze::python::add_rigid(module);
  graze::python::add_robot(module);
  graze::python::add_files(module);
  graze::python::add_polyhedron(module);
  graze::python::add_sim(module);
  graze::python::add_gpu(module);
}
