import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactArgv, redactText } from '../../src/annotate/redact.ts';
import { TEXT_PATTERNS } from '../../src/annotate/secret-patterns.ts';

const LONG = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

describe('redactText', () => {
  it.each([
    `ghp_${LONG}`,
    `gho_${LONG}`,
    `ghs_${LONG}`,
    `ghu_${LONG}`,
    `github_pat_11ABC_${LONG}`,
    `glpat-${LONG}`,
    `sk-${LONG}`,
    `sk-ant-api03-${LONG}`,
    `sk-proj-${LONG}`,
    `sk_live_${LONG}`,
    `xoxb-123456789012-${LONG}`,
    `xoxp-123456789012-${LONG}`,
    'AKIAIOSFODNN7EXAMPLE',
    'ASIAIOSFODNN7EXAMPLE',
    `npm_${LONG}`,
    `AIza${LONG}`,
    `hf_${LONG}`,
  ])('hides the token %s', (token) => {
    expect(redactText(`curl ${token} x`)).toEqual({ text: 'curl *** x', redacted: true });
    expect(redactText(`{"k":"${token}"}`)).toEqual({ text: '{"k":"***"}', redacted: true });
  });

  it.each([
    ['deploy --token abc now', 'deploy --token *** now'],
    ['deploy --token=abc now', 'deploy --token=*** now'],
    ['deploy --password "a b" now', 'deploy --password *** now'],
    ["deploy --password='a b' now", 'deploy --password=*** now'],
    ['deploy --password "a \\" b" now', 'deploy --password *** now'],
    ['deploy --password "a b', 'deploy --password ***'],
    ['deploy --api-key abc', 'deploy --api-key ***'],
    ['deploy --secret abc', 'deploy --secret ***'],
    ['deploy --github-token abc', 'deploy --github-token ***'],
    ['deploy --token --verbose', 'deploy --token --verbose'],
    ['GITHUB_TOKEN=abc npm publish', 'GITHUB_TOKEN=*** npm publish'],
    ['MY_SECRET=abc; AWS_ACCESS_KEY=x make', 'MY_SECRET=***; AWS_ACCESS_KEY=*** make'],
    ['export DB_PASSWORD="a b" GH_PAT=c', 'export DB_PASSWORD=*** GH_PAT=***'],
    ['A_KEY=a\\ b c', 'A_KEY=*** c'],
    ['PGPASSWORD=x psql', 'PGPASSWORD=*** psql'],
    ['curl -H "Authorization: Bearer abc.def" u', 'curl -H "Authorization: Bearer ***" u'],
    ['curl -H "authorization: Basic YWJj" u', 'curl -H "authorization: Basic ***" u'],
    ['curl -H "X-Api-Key: abc" u', 'curl -H "X-Api-Key: ***" u'],
    ['git clone https://me:pw@host/x', 'git clone https://***@host/x'],
    ['git clone https://abc@host/x', 'git clone https://***@host/x'],
    ['psql postgres://u:p@ss@db:5432/x', 'psql postgres://***@db:5432/x'],
    ['curl "https://h/?access_token=abc&x=1"', 'curl "https://h/?access_token=***&x=1"'],
    [`curl -d '{"password": "abc", "x": 1}'`, `curl -d '{"password": "***", "x": 1}'`],
  ])('turns %s into %s', (text, shown) => {
    expect(redactText(text)).toEqual({ text: shown, redacted: text !== shown });
  });

  it.each([
    'npm run dev -- --port 3000',
    'git clone git@github.com:me/x.git',
    'git clone ssh://git@github.com/me/x.git',
    'curl https://host/a@b',
    'npm_config_registry=x npm_lifecycle_event=dev',
    'task-force disk-usage-of-everything risk-assessment-2',
    'sort --key=2 --max-tokens 100 KEY=value sort_key=name',
    '--token-file /run/secrets/x',
    `sha256:${LONG.repeat(2)}`,
    'MONKEY=x',
  ])('leaves %s as it is', (text) => {
    expect(redactText(text)).toEqual({ text, redacted: false });
  });

  it('shows nothing of a value, however it is quoted and whatever stands around it', () => {
    const secret = fc.stringMatching(/^q[a-z0-9]{6}z$/);
    const holder = fc.constantFrom(
      '--token ',
      '--password=',
      'A_KEY=',
      'MY_TOKEN=',
      'api_key=',
      'Bearer ',
      'X-Api-Key: ',
    );
    const quote = fc.constantFrom('', '"', "'");
    const around = fc.string({ unit: fc.constantFrom('a', ' ', '=', '-', '/', ':', ';', '&', '*') });
    fc.assert(
      fc.property(secret, holder, quote, around, (value, before, mark, text) => {
        const isHeader = /[: r] ?$/.test(before) && !before.startsWith('-');
        const quoted = isHeader ? value : `${mark}${value}${mark}`;
        expect(redactText(`${text} ${before}${quoted} ${text}`).text).not.toContain(value);
      }),
    );
  });

  it('passes over no pattern that would match', () => {
    const names = 'token PASSWORD passwd passphrase api KEY secret access pat Bearer authorization npm_ sk- git';
    const word = fc.constantFrom(...names.split(' '), ...Array.from('x@-_=: "\n'), '://', 'abcdefgh12345678');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        const text = words.join('');
        const all = TEXT_PATTERNS.reduce((done, { pattern, replacement }) => done.replace(pattern, replacement), text);
        expect(redactText(text).text).toBe(all);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    'a',
    'a_',
    '-',
    '--a-',
    'token ',
    '://a',
    '_KEY',
    'sk-',
    '"',
    'token="',
    'bearer ',
    'api-key :',
    'x-',
    '\\',
    '@',
  ])('takes linear time for a long run of %j', (unit) => {
    const text = unit.repeat(300_000 / unit.length);
    const before = performance.now();
    redactText(text);
    // Quadratic time would be minutes.
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});

describe('redactArgv', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['the word after an option, blanks included', ['x', '--password', 'a b'], ['x', '--password', '***']],
    ['a value that begins with one dash', ['x', '--token', '-abc'], ['x', '--token', '***']],
    ['no option after an option', ['x', '--token', '--verbose'], ['x', '--token', '--verbose']],
    ['a whole word behind a name', ['env', 'A_KEY=a b&c', 'x'], ['env', 'A_KEY=***', 'x']],
    ['a whole word behind an option', ['x', '--api-key=a b'], ['x', '--api-key=***']],
    ['a name inside an option', ['docker', 'run', '--env=A_KEY=a b'], ['docker', 'run', '--env=A_KEY=***']],
    ['a name after -e', ['docker', 'run', '-e', 'A_KEY=a b'], ['docker', 'run', '-e', 'A_KEY=***']],
    ['the value alone in a script', ['bash', '-c', 'A_KEY=a npm run dev'], ['bash', '-c', 'A_KEY=*** npm run dev']],
    ['a login script too', ['bash', '-lc', 'A_KEY=a npm run dev'], ['bash', '-lc', 'A_KEY=*** npm run dev']],
    ['a header', ['curl', '-H', 'Authorization: Bearer abc'], ['curl', '-H', 'Authorization: Bearer ***']],
    ['the word after Bearer', ['x', 'Bearer', 'abc'], ['x', 'Bearer', '***']],
    ['nothing', ['npm', 'run', 'dev', ''], ['npm', 'run', 'dev', '']],
    ['an empty vector', [], []],
  ])('hides %s', (_title, argv, shown) => {
    expect(redactArgv(argv)).toEqual({ argv: shown, redacted: argv.join() !== shown.join() });
  });
});
