/** What people call what these tools do. */
export const KEYWORDS: Readonly<Record<string, string>> = {
  add_numbers: 'sum plus total of numbers integers arithmetic addition calculator',
  multiply_numbers: 'product times arithmetic multiplication calculator',
  system_ping: 'is the server alive up reachable responding healthy health check heartbeat latency connection test',
  system_echo: 'repeat send back the same text round trip connection test',
  generate_secret: 'random password passphrase token api key credential string characters strong',
}
