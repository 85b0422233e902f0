-- Sends the requests of the file that is named after `--`, in turn, and prints what came of them as one line of JSON.
local requests = {}
local last = 0

function init(args)
  local file = io.open(args[1], "rb")
  for text in file:read("*a"):gmatch("(.-\r\n\r\n)") do
    requests[#requests + 1] = text
  end
  file:close()
end

function request()
  last = last % #requests + 1
  return requests[last]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"count":%d,"seconds":%f,"failed":%d,"p50Ms":%f,"p99Ms":%f}\n',
    summary.requests, summary.duration / 1e6, errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
