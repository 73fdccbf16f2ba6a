; The symbols of Markdown: its headings. What belongs to each is worked out from their levels.
(atx_heading heading_content: (_) @name) @heading
(setext_heading heading_content: (_) @name) @heading
