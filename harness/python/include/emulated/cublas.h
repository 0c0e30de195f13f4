// Many sources include cuBLAS's header and do not use it. The emulated device does not have cuBLAS, so this
// header is empty.
