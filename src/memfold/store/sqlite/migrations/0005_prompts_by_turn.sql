-- Each new prompt asks which turns of its session hold one: a walk over all prompts without this.

CREATE INDEX prompts_by_turn ON prompts(turn_id);
