#pragma once

#include "graze/core/impact.h"
#include "graze/core/options.h"
#include "graze/core/query.h"
#include "graze/core/vec3.h"
#include "graze/exact/oracle.h"
#include "graze/narrow/method.h"
