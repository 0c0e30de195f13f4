// Many sources include cuDNN's header and do not use it. The emulated device does not have cuDNN, so this
// header is empty.
