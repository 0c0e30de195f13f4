// Many sources include cuFFT's header and do not use it. The emulated device does not have cuFFT, so this
// header is empty.
