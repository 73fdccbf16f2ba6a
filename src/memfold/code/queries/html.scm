; The symbols of HTML: headings, and elements with an id.
((element (start_tag (tag_name) @_t) . (text) @name) @heading (#match? @_t "^[hH][1-6]$"))
((element (start_tag (attribute (attribute_name) @_a (quoted_attribute_value (attribute_value) @name)))) @element
  (#eq? @_a "id"))
((element (start_tag (tag_name) @_t) . (text) @name) @title (#match? @_t "^title$"))
(comment) @comment
