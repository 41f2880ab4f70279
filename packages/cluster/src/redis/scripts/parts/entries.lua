-- Returns the milliseconds and the seq of an entry id.
local function parseId(id)
  local dash = string.find(id, '-', 1, true)
  return tonumber(string.sub(id, 1, dash - 1)), tonumber(string.sub(id, dash + 1))
end

-- Returns the position right before the log's first entry (milliseconds, seq), or nil for an empty log. Field `p` of an
-- entry holds the milliseconds of its predecessor, if they differ from its own.
local function positionBeforeFirst(log)
  local first = redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
  if not first then
    return nil
  end
  local ms, seq = parseId(first[1])
  for i = 1, #first[2], 2 do
    if first[2][i] == 'p' then
      ms = tonumber(first[2][i + 1])
    end
  end
  return ms, seq - 1
end
