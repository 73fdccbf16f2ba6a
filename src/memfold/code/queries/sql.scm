; The symbols of SQL.
(create_table (object_reference name: (_) @name)) @table
(column_definition name: (_) @name) @column
(create_view (object_reference name: (_) @name)) @view
(create_materialized_view (object_reference name: (_) @name)) @view
(create_index column: (_) @name) @index
(create_function (keyword_function) . (object_reference name: (_) @name)) @function
(create_trigger (keyword_trigger) . (object_reference name: (_) @name)) @trigger
(create_type (object_reference name: (_) @name)) @type
(create_schema (identifier) @name) @schema
(create_sequence (keyword_sequence) (object_reference name: (_) @name)) @sequence
[(comment) (marginalia)] @comment
