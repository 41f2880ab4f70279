-- The milliseconds and the number in an entry's id.
local function parseId(id)
  local dash = string.find(id, '-', 1, true)
  return tonumber(string.sub(id, 1, dash - 1)), tonumber(string.sub(id, dash + 1))
end

-- The position that the first entry of a log came after: milliseconds and number; nothing where the log is empty. An
-- entry tells the milliseconds in `p` where they are not its own.
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
