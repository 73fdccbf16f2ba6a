; The symbols of Zig.
(function_declaration name: (identifier) @name) @function
(variable_declaration . (identifier) @name (struct_declaration) @body) @struct
(variable_declaration . (identifier) @name (enum_declaration) @body) @enum
(variable_declaration . (identifier) @name (union_declaration) @body) @union
(variable_declaration . (identifier) @name (error_set_declaration) @body) @error
((variable_declaration (builtin_function (builtin_identifier) @_b)) @import (#eq? @_b "@import"))
(source_file (variable_declaration . (identifier) @name) @variable)
(struct_declaration (variable_declaration . (identifier) @name) @variable)
(container_field name: (identifier) @name) @field
(test_declaration (string) @name) @test
(test_declaration (identifier) @name) @test
(comment) @comment
