-- Things of the shop.
CREATE TABLE IF NOT EXISTS shop.baskets (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  total NUMERIC DEFAULT 0
);

CREATE UNIQUE INDEX baskets_by_name ON shop.baskets (name);

-- What is dear.
CREATE OR REPLACE VIEW dear AS
  SELECT * FROM shop.baskets WHERE total > 10;

CREATE MATERIALIZED VIEW cheap AS SELECT 1;

CREATE FUNCTION add_one(a integer) RETURNS integer AS $$
  SELECT a + 1;
$$ LANGUAGE sql;

CREATE TRIGGER touch BEFORE UPDATE ON baskets
  FOR EACH ROW EXECUTE FUNCTION touched();

CREATE TYPE kind AS ENUM ('cheap', 'dear');

CREATE SCHEMA shop;

CREATE SEQUENCE numbers START 1;

CREATE OR REPLACE FUNCTION shop.code_out(code shop_code)
RETURNS cstring
AS 'shop' LANGUAGE C;
