// Many sources include cuBLAS's header and do not use it. The emulated device has nothing of it.
