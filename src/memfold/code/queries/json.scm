; The symbols of JSON: its keys.
(pair key: (string) @name) @key
