; The symbols of TOML: its tables and keys.
(table . [(bare_key) (dotted_key) (quoted_key)] @name) @table
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @table
(pair . [(bare_key) (dotted_key) (quoted_key)] @name) @key
(comment) @comment
