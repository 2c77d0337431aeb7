// A dev server on a free port of the loopback.
import { createServer } from 'node:http';

createServer((_, response) => response.end('hello\n')).listen(0, '127.0.0.1');
