// node picture.mjs PACKAGES PAGE OUT
// Writes a screenshot of a page of the viewer at one of its first contacts. PACKAGES is the folder that
// holds node_modules.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';

const [packages, page, out] = process.argv.slice(2).map((argument) => path.resolve(argument));
const { chromium } = createRequire(path.join(packages, 'package.json'))('playwright-core');
const browser = await chromium.launch({
  executablePath: execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim(),
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
const view = await browser.newPage({ viewport: { width: 1200, height: 640 }, colorScheme: 'light' });
await view.goto('file://' + page);
await view.waitForFunction(() => window.graze && window.graze.state().drawn > 0);
await view.evaluate(() => {
  window.graze.look(0.5, 0.32, 1);
  window.graze.choose(Math.floor(0.12 * window.graze.state().contacts));
});
await view.waitForTimeout(1500);
await view.screenshot({ path: out });
await browser.close();
