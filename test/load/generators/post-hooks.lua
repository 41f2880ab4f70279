-- What wrk sends: the hooks of build-hook.ts. Arguments: the number of the first hook, and a file with a widget id per
-- line. Prints the result as one JSON line. https://github.com/wg/wrk/blob/master/SCRIPTING

local widget_ids = {}
local number

function init(args)
  number = tonumber(args[1])
  for id in io.lines(args[2]) do widget_ids[#widget_ids + 1] = id end
end

local headers = { ['Content-Type'] = 'application/json' }
local body = '{"kind":"updated","occurredAt":"2026-01-05T16:00:05.123Z","widgetId":"%s",'
  .. '"payload":{"number":%d,"note":"measured at the end of the line"}}'

function request()
  local id = widget_ids[number % #widget_ids + 1]
  number = number + 1
  return wrk.format('POST', nil, headers, body:format(id, number - 1))
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"answered":%d,"refused":%d,"failed":%d,"seconds":%f,"latencyMs":{"p50":%f,"p99":%f}}',
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3
  ))
end
