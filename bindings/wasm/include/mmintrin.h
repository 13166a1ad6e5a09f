// Eigen includes this header of MMX with SSE and uses nothing of it. Emscripten has SSE, but not
// this header.
#pragma once
