#pragma once

#include "graze/broad/find_pairs.h"
#include "graze/core/impact.h"
#include "graze/core/mesh.h"
#include "graze/core/options.h"
#include "graze/core/positions.h"
#include "graze/core/query.h"
#include "graze/core/vec3.h"
#include "graze/earliest_impact.h"
#include "graze/exact/oracle.h"
#include "graze/narrow/contact_times.h"
#include "graze/narrow/exact_root.h"
#include "graze/narrow/method.h"
