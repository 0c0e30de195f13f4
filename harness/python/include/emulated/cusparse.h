// Many sources include cuSPARSE's header and do not use it. The emulated device does not have cuSPARSE, so
// this header is empty.
