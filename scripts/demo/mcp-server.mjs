// The smallest MCP server: says hello to its agent, and ends with the pipe from it.
process.stdout.write('{"jsonrpc":"2.0","method":"ready"}\n');
process.stdin.resume();
