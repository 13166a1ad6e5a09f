// Highway includes this header of AES with SSE4 and, with HWY_DISABLE_PCLMUL_AES, uses nothing of
// it. Emscripten has SSE4, but not this header.
#pragma once
