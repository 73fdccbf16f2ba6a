; The symbols of Rust.
(impl_item body: (declaration_list (function_item name: (identifier) @name) @method))
(trait_item body: (declaration_list (function_item name: (identifier) @name) @method))
(trait_item body: (declaration_list (function_signature_item name: (identifier) @name) @method))
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @struct
(field_declaration name: (field_identifier) @name) @field
(union_item name: (type_identifier) @name) @union
(enum_item name: (type_identifier) @name) @enum
(enum_variant name: (identifier) @name) @constant
(trait_item name: (type_identifier) @name) @trait
(associated_type name: (type_identifier) @name) @type
(impl_item type: [(type_identifier) @name (generic_type type: (_) @name) (scoped_type_identifier) @name
  (reference_type) @name (tuple_type) @name (array_type) @name (pointer_type) @name (primitive_type) @name
  (dynamic_type) @name (function_type) @name (unit_type) @name (never_type) @name]) @impl
(mod_item name: (identifier) @name) @module
(type_item name: (type_identifier) @name) @type
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @variable
(macro_definition name: (identifier) @name) @macro
(use_declaration) @import
(extern_crate_declaration) @import
(attribute_item) @attr
[(line_comment) (block_comment)] @comment
