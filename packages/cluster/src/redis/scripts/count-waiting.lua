--[[
Adds to the counts of waiting deliveries. Counts may be negative for a moment: a worker reports a delivery as done before
the pod has reported it as enqueued. When all queues are empty, all counts are removed: so no error stays for ever.

KEYS[1]    a hash: "<integration id> n" is the number of deliveries, "<integration id> b" the bytes of their payloads
KEYS[2..]  the lists of waiting and started jobs of all queues; none: the counts are not removed

ARGV       for each integration: its id, deliveries to add, bytes to add

Returns    the hash after the change, as names and values; nothing without KEYS[2..]
]]
for at = 1, #ARGV, 3 do
  for offset, field in ipairs({ ' n', ' b' }) do
    if redis.call('HINCRBY', KEYS[1], ARGV[at] .. field, ARGV[at + offset]) == 0 then
      redis.call('HDEL', KEYS[1], ARGV[at] .. field)
    end
  end
end
if #KEYS == 1 then
  return {}
end
for at = 2, #KEYS do
  if redis.call('EXISTS', KEYS[at]) == 1 then
    return redis.call('HGETALL', KEYS[1])
  end
end
redis.call('DEL', KEYS[1])
return {}
