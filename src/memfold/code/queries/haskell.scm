; The symbols of Haskell.
(data_type name: (_) @name) @data
(newtype name: (_) @name) @newtype
(type_synonym name: (_) @name) @type
(type_family name: (_) @name) @type
(data_family name: (_) @name) @type
(class name: (_) @name) @class
(instance name: (_) @name) @instance
(declarations (signature name: (_) @name) @function)
(declarations (function name: (_) @name match: (_) @body) @function)
(declarations (function (infix operator: (_) @name)) @function)
(declarations (bind name: (_) @name match: (_) @body) @function)
(class_declarations [(signature name: (_) @name) (function name: (_) @name) (bind name: (_) @name)] @function)
(instance_declarations [(function name: (_) @name) (bind name: (_) @name)] @function)
(instance_declarations (function (infix operator: (_) @name)) @function)
(exports (export [(variable) (name)] @all))
(imports (import) @import)
[(comment) (haddock)] @comment
