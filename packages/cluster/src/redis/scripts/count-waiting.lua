--[[
Adds a report of a process to the counts of waiting deliveries, unless it was added before: its answer may have been lost.
Counts may be negative for a moment: a worker reports a delivery as done before the pod has reported it as enqueued. When
all queues are empty, all counts are removed: so no error stays for ever.

Example: report 7 of a process is counted, and the answer is lost. The process sends report 7 again: the mark is 7, so
nothing is counted. Then it sends report 8.

KEYS[1]    a hash: "<integration id> n" is the number of deliveries, "<integration id> b" the bytes of their payloads
KEYS[2]    the mark of the process: the number of its last report that was counted
KEYS[3..]  the lists of waiting and started jobs of all queues; none: the counts are not removed

ARGV[1]    the number of the report: higher than those before
ARGV[2]    how long the mark is kept, in milliseconds
ARGV[3..]  for each integration: its id, deliveries to add, bytes to add

Returns    the hash after the change, as names and values; nothing without KEYS[3..]
]]
if #ARGV > 2 and tonumber(ARGV[1]) > tonumber(redis.call('GET', KEYS[2]) or '0') then
  for at = 3, #ARGV, 3 do
    for offset, field in ipairs({ ' n', ' b' }) do
      if redis.call('HINCRBY', KEYS[1], ARGV[at] .. field, ARGV[at + offset]) == 0 then
        redis.call('HDEL', KEYS[1], ARGV[at] .. field)
      end
    end
  end
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
end
if #KEYS == 2 then
  return {}
end
for at = 3, #KEYS do
  if redis.call('EXISTS', KEYS[at]) == 1 then
    return redis.call('HGETALL', KEYS[1])
  end
end
redis.call('DEL', KEYS[1])
return {}
