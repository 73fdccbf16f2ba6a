; The symbols of Swift.
(class_declaration declaration_kind: "class" name: (type_identifier) @name) @class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @enum
(class_declaration declaration_kind: "actor" name: (type_identifier) @name) @actor
(class_declaration declaration_kind: "extension" name: (user_type) @name) @extension
(enum_entry name: (simple_identifier) @name) @case
(protocol_declaration name: (type_identifier) @name) @protocol
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @property
(protocol_function_declaration "func" . name: _ @name) @method
(class_body (function_declaration "func" . name: _ @name) @method)
(enum_class_body (function_declaration "func" . name: _ @name) @method)
(function_declaration "func" . name: _ @name) @function
(init_declaration "init" @name) @constructor
(deinit_declaration "deinit" @name) @destructor
(subscript_declaration "subscript" @name) @method
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_) @body) @property)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @property)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @property)
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @variable)
(typealias_declaration "typealias" . name: (type_identifier) @name) @type
(associatedtype_declaration name: (type_identifier) @name) @type
(import_declaration) @import
[(comment) (multiline_comment)] @comment
