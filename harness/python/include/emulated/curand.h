// Many sources include cuRAND's header and do not use it. The emulated device does not have cuRAND, so this
// header is empty.
