; The symbols of YAML: its keys.
(block_mapping_pair key: (_) @name) @key
(comment) @comment
