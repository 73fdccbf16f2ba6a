; The symbols of Kotlin.
(class_declaration "interface" name: (identifier) @name (class_body)? @body) @interface
(class_declaration (modifiers (class_modifier "enum")) name: (identifier) @name (enum_class_body) @body) @enum
(class_declaration name: (identifier) @name (class_body) @body) @class
(class_declaration name: (identifier) @name) @class
(object_declaration name: (identifier) @name (class_body)? @body) @object
(companion_object "companion" @name (class_body)? @body) @object
(enum_entry (identifier) @name) @constant
(class_body (function_declaration name: (identifier) @name (function_body) @body) @method)
(class_body (function_declaration name: (identifier) @name) @method)
(enum_class_body (function_declaration name: (identifier) @name (function_body) @body) @method)
(function_declaration name: (identifier) @name (function_body) @body) @function
(function_declaration name: (identifier) @name) @function
(secondary_constructor "constructor" @name (block)? @body) @constructor
(class_body (property_declaration (variable_declaration . (identifier) @name)) @property)
(source_file (property_declaration (variable_declaration . (identifier) @name)) @variable)
(class_parameter ["val" "var"] . (identifier) @name) @property
(type_alias type: (identifier) @name) @type
(import) @import
[(line_comment) (block_comment)] @comment
