; The symbols of SCSS.
(rule_set (selectors) @name) @rule
(media_statement [(feature_query) (keyword_query) (binary_query) (unary_query)] @name) @media
(keyframes_statement (keyframes_name) @name) @keyframes
(at_rule (at_keyword) @name) @rule
(mixin_statement name: (_) @name) @mixin
(function_statement name: (_) @name) @function
((declaration (property_name) @name) @variable (#match? @name "^(--|\\$)"))
[(import_statement) (use_statement) (forward_statement)] @import
[(comment) (js_comment)] @comment
