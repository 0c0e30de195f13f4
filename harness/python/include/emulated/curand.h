// Many sources include cuRAND's header and do not use it. The emulated device has nothing of it.
