-- Things of the shop.
local json = require("json")
local M = {}

-- Puts one in.
function M.add(item)
  local function inner() end
  return item
end

function M:sell(name) return name end

local function helper(a, b)
  return a
end

function global_one() end

M.sum = function(a) return a end

local quick = function() return 1 end

M.handlers = {
  start = function() end,
  ["stop"] = function() end,
}

LIMIT = 10

return M
