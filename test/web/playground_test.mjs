// node playground_test.mjs PAGE PACKAGES GRAZE OUT
// Opens the playground PAGE in Chromium from disk and operates it. PACKAGES is the folder that holds
// node_modules; GRAZE, the command, makes the files that are dropped. Screenshots are left in OUT. Any message
// in the console and any network request is a failure. Exit code 0: passed, 1: failed, 77: skipped.
import { spawnSync } from 'node:child_process';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [pageFile, packages, graze, out] = process.argv.slice(2).map((argument) => path.resolve(argument));
const skip = (why) => {
  console.log(`SKIPPED: ${why}`);
  process.exit(77);
};
const browserFile = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim())
  .find((file) => file);
if (!browserFile) skip('the tests need Chromium, which is not installed');
if (!fs.existsSync(path.join(packages, 'node_modules/playwright-core'))) skip(`${packages} has no node_modules/playwright-core`);
const { chromium } = createRequire(path.join(packages, 'package.json'))('playwright-core');

fs.rmSync(out, { recursive: true, force: true });
fs.mkdirSync(out, { recursive: true });
const run = (...words) => {
  const done = spawnSync(graze, words.map(String), { cwd: out, encoding: 'utf8' });
  assert.ok(done.status === 0 || done.status === 1, `graze ${words.join(' ')}: ${done.stderr}`);
  return done.stdout;
};

const browser = await chromium.launch({
  executablePath: browserFile,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
const messages = [];
async function open(colorScheme = 'light', hash = '', viewport = { width: 1280, height: 900 }) {
  const page = await browser.newPage({ viewport, colorScheme });
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  page.on('request', (request) => {
    if (/^(https?|wss?):/.test(request.url())) messages.push(`requests ${request.url()}`);
  });
  await page.goto(`file://${pageFile}${hash}`);
  await page.waitForFunction(() => window.playground && window.playground.query.state().drawn > 0);
  return page;
}
const state = (page) => page.evaluate(() => window.playground.query.state());
const problem = (page) => page.locator('#problem').innerText();
const shoot = (page, name) => page.screenshot({ path: path.join(out, name) });
const viewerOf = async (page, id) => {
  const frame = await (await page.waitForSelector(`#${id} iframe`)).contentFrame();
  await frame.waitForFunction(() => window.graze && window.graze.state().drawn > 0, null, { timeout: 60000 });
  return frame;
};
const phone = { width: 390, height: 844 };

const tests = {
  async 'a preset of the corpus shows its truth and all methods'() {
    const page = await open();
    await page.selectOption('#preset', 'corpus:vf_double_root_grazes');
    await page.waitForFunction(() => window.playground.query.state().methods.every(({ pending }) => !pending));
    const { truth, methods, kind } = await state(page);
    assert.equal(kind, 'vertex-face');
    assert.deepEqual(truth, { toi: 0.5, toiHi: 0.5 });
    const listed = JSON.parse(run('methods', '--json')).filter(({ primitives }) => primitives.includes('vertex-face')).map(({ name }) => name);
    assert.deepEqual(methods.map(({ name }) => name), listed);
    assert.equal(methods[0].toi, 0.5);
    assert.match(await page.locator('#story').innerText(), /touches the face and does not pass/);
    assert.match(await page.locator('#summary').innerText(), /First contact at t = 0.5/);
    await shoot(page, 'query-light.png');
    await page.close();
  },

  async 'every preset is answered'() {
    const page = await open();
    const presets = await page.locator('#preset option').evaluateAll((options) => options.map(({ value }) => value));
    assert.ok(presets.length > 100);
    for (const preset of presets) {
      await page.selectOption('#preset', preset);
      assert.equal(await problem(page), '', preset);
      const { methods, truth } = await state(page);
      assert.equal(methods[0].verdict, truth ? 'contact' : 'separated', preset);
    }
    await page.close();
  },

  async 'a dragged point changes the answer while it is dragged'() {
    const page = await open();
    await page.selectOption('#preset', 'corpus:vf_double_root_grazes');
    const before = await state(page);
    const { x, y } = await page.evaluate(() => window.playground.query.screenPosition(4));
    await page.mouse.move(x, y);
    await page.mouse.down();
    const costs = [];
    for (let i = 1; i <= 12; ++i) {
      await page.mouse.move(x + 8 * i, y - 6 * i);
      costs.push((await state(page)).milliseconds);
    }
    const during = await state(page);
    await page.mouse.up();
    assert.equal(during.point, 4);
    assert.notDeepEqual(during.numbers, before.numbers);
    assert.deepEqual(during.numbers.slice(0, 12), before.numbers.slice(0, 12));
    costs.sort((a, b) => a - b);
    console.log(`  computing a drag event: median ${costs[6].toFixed(1)} ms, most ${costs[11].toFixed(1)} ms`);
    await page.close();
  },

  async 'one ulp up and down returns to the same bits'() {
    const page = await open();
    await page.selectOption('#preset', 'corpus:vf_double_root_grazes');
    await page.selectOption('#point', '1');
    const before = (await state(page)).numbers;
    await page.locator('#ulp-x-up').click();
    const up = (await state(page)).numbers;
    assert.equal(up[3], '-0x1.fffffffffffffp-1');
    assert.deepEqual([...up.slice(0, 3), ...up.slice(4)], [...before.slice(0, 3), ...before.slice(4)]);
    await page.locator('#ulp-x-down').press('Enter');
    assert.deepEqual((await state(page)).numbers, before);
    await page.locator('#coordinate-y').fill('0x1.8p-3');
    await page.locator('#coordinate-y').press('Tab');
    assert.equal((await state(page)).numbers[4], '0x1.8p-3');
    await page.locator('#coordinate-y').fill('a lot');
    await page.locator('#coordinate-y').press('Tab');
    assert.match(await problem(page), /finite number/);
    await page.close();
  },

  async 'a link holds the query exactly'() {
    const page = await open();
    for (const preset of ['corpus:ee_offset_1e9_one_ulp_gap', 'vertex-face:denormal', 'edge-edge:huge_1e300', 'vertex-face:mixed_magnitudes']) {
      await page.selectOption('#preset', preset);
      const before = await state(page);
      await page.locator('#copy-link').click();
      const link = await page.locator('#exported').inputValue();
      const other = await open('light', link.slice(link.indexOf('#')));
      const after = await state(other);
      assert.deepEqual([after.kind, after.numbers, after.truth], [before.kind, before.numbers, before.truth], preset);
      await other.close();
    }
    await page.close();
    const bad = await open('light', '#query=vertex-face:1,2,3');
    assert.match(await problem(bad), /3 numbers, not 24/);
    assert.ok((await state(bad)).methods.length > 0);
    await bad.close();
  },

  async 'an export has the same truth in the command'() {
    const page = await open();
    await page.selectOption('#preset', 'corpus:vf_corner_at_one_third');
    await page.locator('#export-corpus').click();
    const text = await page.locator('#exported').inputValue();
    const original = fs.readFileSync(new URL('../corpus/vf_corner_at_one_third.txt', import.meta.url), 'utf8');
    const numbers = (entry) => entry.split('\n').filter((line) => line && !line.startsWith('#')).slice(1).join(' ').trim().split(/\s+/);
    const head = (entry) => entry.split('\n').find((line) => line && !line.startsWith('#')).split(/\s+/).slice(0, 2);
    assert.deepEqual(head(text), head(original));
    assert.equal(numbers(text).length, 24);
    await page.locator('#export-cpp').click();
    assert.match(await page.locator('#exported').inputValue(), /graze::first_contact\(query\)/);
    await page.locator('#export-python').click();
    assert.match(await page.locator('#exported').inputValue(), /float\.fromhex/);
    await page.close();
  },

  async 'two dropped frames give the contacts of the command'() {
    run('generate', 'cloth_on_cone', '--count', 2000, '--out', 'cloth');
    const answer = JSON.parse(run('step', 'cloth/1.ply', 'cloth/2.ply', '--json'));
    const page = await open();
    await page.locator('#tab-meshes').click();
    assert.match(await page.locator('#meshes-panel').innerText(), /nothing leaves the browser/);
    await page.setInputFiles('#files', [path.join(out, 'cloth/1.ply'), path.join(out, 'cloth/2.ply')]);
    const viewer = await viewerOf(page, 'meshes-frame');
    const shown = await viewer.evaluate(() => window.graze.state());
    assert.equal(shown.contacts, answer.contacts);
    assert.equal(shown.time, answer.toi);
    assert.deepEqual(shown.contact.names, [answer.a, answer.b]);
    assert.match(await page.locator('#meshes-status').innerText(), /broad phase .* s, narrow phase .* s/);
    await shoot(page, 'meshes-light.png');
    await page.close();
  },

  async 'a recording and a glTF file are shown, dropped on the page'() {
    run('sim', 'hoop', '--seconds', 0.3, '--record', 'hoop.glb');
    const page = await open();
    const data = fs.readFileSync(path.join(out, 'hoop.glb')).toString('base64');
    await page.evaluate((base64) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], 'hoop.glb'));
      dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true, bubbles: true }));
    }, data);
    const viewer = await viewerOf(page, 'meshes-frame');
    assert.ok((await viewer.evaluate(() => window.graze.state())).frames > 10);
    // Two frames of one triangle and another above it, in glTF with an embedded buffer.
    const gltf = (z) => {
      const floats = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, z, 0.4, 0.2, z, 0.2, 0.4, z);
      return JSON.stringify({
        asset: { version: '2.0' }, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0, translation: [1, 2, 3] }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
        accessors: [{ bufferView: 0, componentType: 5126, count: 6, type: 'VEC3' }],
        bufferViews: [{ buffer: 0, byteLength: 72 }],
        buffers: [{ byteLength: 72, uri: `data:application/octet-stream;base64,${Buffer.from(floats.buffer).toString('base64')}` }],
      });
    };
    fs.writeFileSync(path.join(out, 'a.gltf'), gltf(1));
    fs.writeFileSync(path.join(out, 'b.gltf'), gltf(-1));
    await page.setInputFiles('#files', [path.join(out, 'a.gltf')]);
    assert.match(await page.locator('#meshes-status').innerText(), /a\.gltf is the first frame/);
    await page.setInputFiles('#files', [path.join(out, 'b.gltf')]);
    await page.waitForFunction(() => /first contact 0.5/.test(document.getElementById('meshes-status').textContent));
    await page.close();
  },

  async 'bad files give a message, and the page stays usable'() {
    const page = await open();
    await page.locator('#tab-meshes').click();
    const cases = {
      'bad.obj': ['v 0 0 zero\n', /bad\.obj:1: /],
      'bad.ply': ['ply\nformat binary_little_endian 1.0\nelement vertex 5\n', /bad\.ply/],
      'bad.glb': ['glTF, but not really: too short', /bad\.glb/],
      'bad.gltf': ['{"scenes": [{}]}', /holds no triangles/],
      'bad.xyz': ['1 2 3', /mesh files end in/],
    };
    fs.writeFileSync(path.join(out, 'good.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
    fs.writeFileSync(path.join(out, 'other.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 4\n');
    for (const [name, [content, message]] of Object.entries(cases)) {
      fs.writeFileSync(path.join(out, name), content);
      await page.setInputFiles('#files', [path.join(out, name), path.join(out, 'good.obj')]);
      await page.waitForFunction(() => document.getElementById('problem').textContent !== '');
      assert.match(await problem(page), message, name);
      await page.locator('#tab-query').click(); // any use of the page
      await page.selectOption('#preset', 'corpus:vf_double_root_grazes');
      assert.equal(await problem(page), '');
      await page.locator('#tab-meshes').click();
    }
    await page.setInputFiles('#files', [path.join(out, 'good.obj'), path.join(out, 'other.obj')]);
    await page.waitForFunction(() => /4 vertices, but good\.obj has 3/.test(document.getElementById('problem').textContent));
    await page.setInputFiles('#files', [path.join(out, 'cloth/1.ply'), path.join(out, 'cloth/2.ply')]);
    await viewerOf(page, 'meshes-frame');
    assert.equal(await problem(page), '');
    await page.close();
  },

  async 'scenes run in a worker and are shown'() {
    const page = await open('dark');
    await page.locator('#tab-scenes').click();
    for (const [scene, fact] of [['knots', /verdict contact/], ['cloth', /contacts [1-9]/], ['hoop', /crossings 0/]]) {
      await page.locator(`#scene-${scene}`).click();
      await page.waitForFunction((text) => new RegExp(text).test(document.getElementById('scenes-status').textContent), fact.source, { timeout: 120000 });
      await viewerOf(page, 'scenes-frame');
      assert.equal(await problem(page), '');
      await shoot(page, `scene-${scene}-dark.png`);
    }
    await page.close();
  },

  async 'tabs and points are operated from the keyboard'() {
    const page = await open();
    await page.locator('#tab-query').focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.locator('#tab-meshes').getAttribute('aria-selected'), 'true');
    assert.ok(await page.locator('#meshes-panel').isVisible() && !(await page.locator('#query-panel').isVisible()));
    await page.keyboard.press('ArrowLeft');
    assert.ok(await page.locator('#query-panel').isVisible());
    const unnamed = await page.locator('button, input, select, textarea, canvas').evaluateAll((all) =>
      all.filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.closest('label'))).map((one) => one.outerHTML));
    assert.deepEqual(unnamed, []);
    await page.close();
  },

  async 'phones and both themes'() {
    for (const theme of ['light', 'dark']) {
      const page = await open(theme, '', phone);
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than the phone');
      await page.waitForTimeout(300);
      await page.screenshot({ path: path.join(out, `phone-${theme}.png`), fullPage: true });
      await page.close();
    }
    const page = await open('dark');
    await page.selectOption('#preset', 'corpus:ee_parallel_pass_one_ulp_apart');
    await page.waitForTimeout(1500);
    await shoot(page, 'query-dark.png');
    await page.locator('#theme').click();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
    await page.close();
  },
};

const wanted = process.argv[6];
let failures = 0;
for (const [name, test] of Object.entries(tests)) {
  if (wanted && !name.includes(wanted)) continue;
  const begin = performance.now();
  try {
    messages.length = 0;
    await test();
    assert.deepEqual(messages, []);
    console.log(`passed (${((performance.now() - begin) / 1000).toFixed(1)} s): ${name}`);
  } catch (error) {
    ++failures;
    console.log(`FAILED: ${name}\n${error.stack}\n${messages.join('\n')}`);
  }
}
await browser.close();
console.log(failures === 0 ? 'all tests of the playground passed' : `${failures} tests failed`);
process.exitCode = failures === 0 ? 0 : 1;
