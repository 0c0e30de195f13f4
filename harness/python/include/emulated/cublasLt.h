// Many sources include cuBLASLt's header and do not use it. The emulated device does not have cuBLASLt, so
// this header is empty.
