; The symbols of CSS.
(rule_set (selectors) @name) @rule
(media_statement [(feature_query) (keyword_query) (binary_query) (unary_query)] @name) @media
(supports_statement (_) @name . (block)) @supports
(keyframes_statement (keyframes_name) @name) @keyframes
(at_rule (at_keyword) @name) @rule
((declaration (property_name) @name) @variable (#match? @name "^--"))
(import_statement) @import
(comment) @comment
