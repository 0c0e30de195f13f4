# expect: problem=conv-standard-1d cases=tiny,plain verdict=signature_mismatch message="the file defines none of 'solution'"
