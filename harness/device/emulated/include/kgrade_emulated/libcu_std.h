// cuda::std is the host's standard library here.
#pragma once

namespace std {}
namespace cuda::std {
using namespace ::std;
}
