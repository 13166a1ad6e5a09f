// node playground_test.mjs PAGE PACKAGES GRAZE OUT
// Opens the playground PAGE in Chromium from disk and operates it. PACKAGES is the folder that holds
// node_modules; GRAZE, the command, makes the files that are dropped. Screenshots are left in OUT. Any message
// in the console and any network request is a failure. Exit code 0: passed, 1: failed, 77: skipped.
import { spawnSync } from 'node:child_process';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { store } from '../wasm/results.mjs';

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
// Drawing by software is slow; only pages whose screenshots are examined are large.
const small = { width: 860, height: 480 }, large = { width: 1280, height: 900 };
async function openNew(colorScheme, hash = '', viewport = small) {
  const page = await browser.newPage({ viewport, colorScheme });
  page.setDefaultTimeout(120000); // the machine may be busy
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  page.on('request', (request) => {
    if (/^(https?|wss?):/.test(request.url())) messages.push(`requests ${request.url()}`);
  });
  await page.goto(`file://${pageFile}${hash}`);
  await page.waitForFunction(() => window.playground && window.playground.query.state().drawn > 0);
  return page;
}
// Returns the page with these colors and this size, which tests share: opening one takes seconds.
const opened = new Map();
async function open(colorScheme = 'light', viewport = small) {
  const key = `${colorScheme} ${viewport.width}`;
  if (!opened.has(key)) opened.set(key, await openNew(colorScheme, '', viewport));
  const page = opened.get(key);
  await page.locator('#tab-query').click();
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
    const page = await open('light', large);
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
  },

  async 'every preset is answered'() {
    const page = await open();
    const presets = await page.locator('#preset option').evaluateAll((options) => options.filter(({ hidden }) => !hidden).map(({ value }) => value));
    assert.ok(presets.length > 100);
    for (const preset of presets) {
      await page.selectOption('#preset', preset);
      assert.equal(await problem(page), '', preset);
      const { methods, truth } = await state(page);
      assert.equal(methods[0].verdict, truth ? 'contact' : 'separated', preset);
    }
    // The last preset is a family, which has many queries.
    const before = (await state(page)).numbers;
    await page.locator('#another').click();
    assert.notDeepEqual((await state(page)).numbers, before);
    await page.selectOption('#preset', presets[0]);
    assert.ok(!(await page.locator('#another').isVisible()));
  },

  async 'a dragged point changes the answer while it is dragged'() {
    const page = await open();
    await page.selectOption('#preset', 'corpus:vf_double_root_grazes');
    const before = await state(page);
    const { x, y } = await page.evaluate(() => window.playground.query.screenPosition(4));
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let i = 1; i <= 4; ++i) await page.mouse.move(x + 8 * i, y - 6 * i);
    const during = await state(page);
    await page.mouse.up();
    assert.equal(during.point, 4);
    assert.notDeepEqual(during.numbers, before.numbers);
    assert.deepEqual(during.numbers.slice(0, 12), before.numbers.slice(0, 12));
    // A finger drags a point that it presses beside its centre; the address follows.
    const numbers = await page.evaluate(() => {
      const { x, y } = window.playground.query.screenPosition(4);
      const view = document.getElementById('view');
      const send = (type, by) => view.dispatchEvent(new PointerEvent(type, { pointerId: 1, pointerType: 'touch', button: 0, buttons: 1, clientX: x + by, clientY: y, bubbles: true }));
      view.setPointerCapture = () => {}; // there is no such pointer
      for (const [type, by] of [['pointerdown', 18], ['pointermove', 40], ['pointerup', 40]]) send(type, by);
      return window.playground.query.state().numbers;
    });
    assert.notDeepEqual(numbers, during.numbers);
    await page.waitForFunction((text) => location.hash.endsWith(text), numbers.join());
  },

  // The processor time of the main thread in the handler of each event: computing the answers and showing them. The
  // clock would also count other processes on the core.
  async 'every drag event is handled within 8 ms, at every place and for every kind of query'() {
    const page = await open();
    const presets = ['corpus:vf_double_root_grazes', 'corpus:ee_parallel_pass_one_ulp_apart', 'corpus:wang2021_appendix_c_missed',
      'vertex-face:random', 'edge-edge:random', 'edge-edge:near_ulp', 'edge-edge:mixed_magnitudes', 'vertex-face:denormal', 'edge-edge:huge_1e300'];
    const shares = [], moves = 12;
    await browser.startTracing(page, { categories: ['devtools.timeline', '-*'] });
    for (const preset of presets) {
      await page.selectOption('#preset', preset);
      const place = await page.evaluate(() => window.playground.query.screenPosition(0));
      await page.mouse.move(place.x, place.y);
      await page.mouse.down();
      let live = 0, methods = 0, last = await state(page);
      for (let i = 0; i < moves; ++i) {
        await page.mouse.move(place.x + 3 * i + 1, place.y - 2 * i - 1);
        const now = await state(page);
        assert.equal(now.point, last.point, preset);
        assert.notDeepEqual(now.numbers, last.numbers, preset);
        live += now.live;
        methods += now.methods.length;
        last = now;
      }
      await page.mouse.up();
      shares.push(live / methods);
      // The worker answers the others.
      await page.waitForFunction(() => window.playground.query.state().methods.every(({ pending }) => !pending), null, { timeout: 60000 });
    }
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
    const handled = traceEvents.filter(({ name, args }) => name === 'EventDispatch' && args.data?.type === 'pointermove');
    const all = handled.map(({ tdur }) => tdur / 1000);
    assert.ok(all.length >= moves * presets.length, `${all.length} events`);
    // The page stops by the clock, which also counts other processes, so a busy machine answers less of some queries.
    assert.ok(shares.reduce((sum, share) => sum + share) > 0.5 * shares.length, `only ${shares.join(' ')} of the methods are answered while dragging`);
    all.sort((a, b) => a - b);
    const [median, most] = [all[Math.floor(all.length / 2)], all.at(-1)];
    console.log(`  ${all.length} drag events: median ${median.toFixed(1)} ms, most ${most.toFixed(1)} ms; answered in the page: ${shares.map((share) => `${Math.round(100 * share)} %`).join(', ')}`);
    assert.ok(most <= 8, `${all.slice(-10).map((ms) => ms.toFixed(1)).join(' ')} ms`);
    store('drag', { events: all.length, median_ms: median, most_ms: most });
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
  },

  async 'the wheel scrolls the names of the methods and zooms their time axis'() {
    const page = await open();
    const panel = page.locator('#methods'), { x, y, width } = await panel.boundingBox();
    const scale = () => page.locator('.method.gap .note').innerText();
    assert.equal(await scale(), 'scroll to zoom');
    await page.mouse.move(x + 40, y + 60);
    await page.mouse.wheel(0, 80);
    await page.waitForFunction(() => document.getElementById('methods').scrollTop > 0);
    await page.mouse.move(x + width / 2, y + 60);
    await page.mouse.wheel(0, -80);
    await page.waitForFunction(() => document.querySelector('.method.gap .note').textContent !== 'scroll to zoom');
    await page.mouse.dblclick(x + width / 2, y + 60);
    assert.equal(await scale(), 'scroll to zoom');
  },

  async 'a link holds the query exactly'() {
    const page = await open();
    let other;
    for (const preset of ['corpus:ee_offset_1e9_one_ulp_gap', 'vertex-face:denormal', 'edge-edge:huge_1e300', 'vertex-face:mixed_magnitudes']) {
      await page.selectOption('#preset', preset);
      const before = await state(page);
      await page.locator('#copy-link').click();
      const link = await page.locator('#exported').inputValue();
      // The first link opens a page, the others are pasted into its address.
      const hash = link.slice(link.indexOf('#'));
      if (other) await other.goto(`file://${pageFile}${hash}`);
      else other = await openNew('light', hash);
      await other.waitForFunction((numbers) => window.playground.query.state().numbers.join() === numbers, before.numbers.join());
      const after = await state(other);
      assert.deepEqual([after.kind, after.numbers, after.truth], [before.kind, before.numbers, before.truth], preset);
      assert.equal(await other.locator('#preset').inputValue(), '', preset);
    }
    await other.goto(`file://${pageFile}#query=vertex-face:1,2,3`);
    await other.waitForFunction(() => document.getElementById('problem').textContent !== '');
    assert.match(await problem(other), /3 numbers, not 24/);
    assert.ok((await state(other)).methods.length > 0);
    await other.close();
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
    const { truth } = await state(page);
    // The programs are run where the library and the package were built beside the command.
    const beside = (file) => path.join(path.dirname(graze), file);
    const source = fileURLToPath(new URL('../..', import.meta.url));
    await page.locator('#export-cpp').click();
    fs.writeFileSync(path.join(out, 'exported.cpp'), await page.locator('#exported').inputValue());
    const make = spawnSync('c++', ['-std=c++20', '-I', path.join(source, 'include'), '-isystem', '/usr/include/eigen3',
      path.join(out, 'exported.cpp'), beside('libgraze.a'), '-lhwy', '-ltbb', '-o', path.join(out, 'exported')], { encoding: 'utf8' });
    assert.equal(make.status, 0, make.stderr);
    const [verdict, toi] = spawnSync(path.join(out, 'exported'), { encoding: 'utf8' }).stdout.trim().split(' ');
    assert.deepEqual([verdict, Number(toi)], ['contact', truth.toi]);
    await page.locator('#export-python').click();
    const program = await page.locator('#exported').inputValue();
    assert.match(program, /float\.fromhex/);
    if (fs.existsSync(beside('python/graze/__init__.py')) && fs.readdirSync(beside('python/graze')).some((file) => file.endsWith('.so'))) {
      const ran = spawnSync('/usr/bin/python3', ['-B', '-c', program], { encoding: 'utf8', env: { ...process.env, PYTHONPATH: beside('python') } });
      assert.equal(ran.status, 0, ran.stderr);
      assert.match(ran.stdout, /0\.33333333/);
    } else {
      console.log('  the Python package is not built: its program was not run');
    }
  },

  async 'two dropped frames give the contacts of the command'() {
    run('generate', 'cloth_on_cone', '--count', 2000, '--out', 'cloth');
    const answer = JSON.parse(run('step', 'cloth/1.ply', 'cloth/2.ply', '--json'));
    const page = await open('light', large);
    await page.locator('#tab-meshes').click();
    assert.match(await page.locator('#meshes-panel').innerText(), /nothing leaves the browser/);
    await page.setInputFiles('#files', [path.join(out, 'cloth/1.ply'), path.join(out, 'cloth/2.ply')]);
    const viewer = await viewerOf(page, 'meshes-frame');
    const shown = await viewer.evaluate(() => window.graze.state());
    assert.equal(shown.contacts, answer.contacts);
    assert.equal(shown.time, answer.toi);
    assert.deepEqual(shown.contact.names, [answer.a, answer.b]);
    assert.match(await page.locator('#meshes-status').innerText(), /first contact at 0\..*, contacts \d/);
    assert.match(await viewer.locator('#facts').innerText(), /load .* s.*finding the first .* s.*finding all .* s.*broad phase .* s.*narrow phase .* s/s);
    await shoot(page, 'meshes-light.png');
  },

  async 'a recording and a glTF file are shown, dropped on the page'() {
    run('sim', 'hoop', '--seconds', 0.3, '--record', 'hoop.glb');
    const page = await open('dark');
    const drop = (frame, data, name) => frame.evaluate(([base64, file]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], file));
      dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true, bubbles: true }));
    }, [Buffer.from(data).toString('base64'), name]);
    await drop(page, fs.readFileSync(path.join(out, 'hoop.glb')), 'hoop.glb');
    const viewer = await viewerOf(page, 'meshes-frame');
    assert.ok((await viewer.evaluate(() => window.graze.state())).frames > 10);
    assert.equal(await viewer.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await page.locator('#theme').click();
    await viewer.waitForFunction(() => document.documentElement.dataset.theme === 'light');
    await page.locator('#theme').click();
    await shoot(page, 'recording-dark.png');
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
    fs.writeFileSync(path.join(out, 'b.gltf'), gltf(-1));
    // The viewer takes files as the page does.
    await drop(viewer, gltf(1), 'a.gltf');
    await page.waitForFunction(() => /first frame/.test(document.getElementById('meshes-status').textContent));
    assert.match(await page.locator('#meshes-status').innerText(), /a\.gltf is the first frame/);
    await page.setInputFiles('#files', [path.join(out, 'b.gltf')]);
    await page.waitForFunction(() => /first contact at 0\.5/.test(document.getElementById('meshes-status').textContent));
  },

  async 'frames are read in every format'() {
    const page = await open();
    await page.locator('#tab-meshes').click();
    const points = (z) => [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, z], [0.4, 0.2, z], [0.2, 0.4, z]];
    const lines = (z, word) => points(z).map((p) => word + p.join(' ')).join('\n');
    const formats = {
      obj: (z) => `${lines(z, 'v ')}\nf 1 2 3\nf 4 5 6\n`,
      off: (z) => `OFF\n6 2 0\n${lines(z, '')}\n3 0 1 2\n3 3 4 5\n`,
      ply: (z) => `ply\nformat ascii 1.0\nelement vertex 6\nproperty double x\nproperty double y\nproperty double z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n${lines(z, '')}\n3 0 1 2\n3 3 4 5\n`,
      stl: (z) => `solid two\n${[0, 3].map((i) => `facet normal 0 0 1\nouter loop\n${points(z).slice(i, i + 3).map((p) => `vertex ${p.join(' ')}\n`).join('')}endloop\nendfacet\n`).join('')}endsolid two\n`,
    };
    for (const [format, write] of Object.entries(formats)) {
      const files = [1, -1].map((z, i) => path.join(out, `frame${i}.${format}`));
      files.forEach((file, i) => fs.writeFileSync(file, write(i === 0 ? 1 : -1)));
      await page.evaluate(() => (document.getElementById('meshes-status').textContent = ''));
      await page.setInputFiles('#files', files);
      await page.waitForFunction(() => /first contact at/.test(document.getElementById('meshes-status').textContent) || document.getElementById('problem').textContent !== '');
      assert.equal(await problem(page), '', format);
      assert.match(await page.locator('#meshes-status').innerText(), /triangles 2, first contact at 0\.5,/, format);
    }
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
    // More triangles than fit in the memory of a page: one vertex, one face many times.
    const faces = 6200000;
    const large = Buffer.alloc(13 * faces);
    for (let i = 0; i < faces; ++i) large[13 * i] = 3;
    const head = `ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face ${faces}\nproperty list uchar int vertex_indices\nend_header\n`;
    for (const name of ['large1.ply', 'large2.ply']) fs.writeFileSync(path.join(out, name), Buffer.concat([Buffer.from(head), Buffer.alloc(12), large]));
    await page.setInputFiles('#files', [path.join(out, 'large1.ply'), path.join(out, 'large2.ply')]);
    await page.waitForFunction(() => document.getElementById('problem').textContent !== '', null, { timeout: 60000 });
    assert.match(await problem(page), /need about 4\d\d\d MB; a browser gives a page at most 4096 MB/);
    for (const name of ['large1.ply', 'large2.ply']) fs.rmSync(path.join(out, name));
    await page.setInputFiles('#files', [path.join(out, 'good.obj'), path.join(out, 'other.obj')]);
    await page.waitForFunction(() => /4 vertices, but good\.obj has 3/.test(document.getElementById('problem').textContent));
    await page.setInputFiles('#files', [path.join(out, 'cloth/1.ply'), path.join(out, 'cloth/2.ply')]);
    await page.waitForFunction(() => /first contact at .*, contacts /.test(document.getElementById('meshes-status').textContent));
    await viewerOf(page, 'meshes-frame');
    assert.equal(await problem(page), '');
  },

  async 'scenes run in a worker and are shown while they run'() {
    const page = await open('dark');
    await page.locator('#tab-scenes').click();
    await page.locator('#scene-cloth').click();
    // The viewer shows a part of the recording, then longer parts, before the scene is finished.
    let viewer = await viewerOf(page, 'scenes-frame');
    await page.waitForFunction(() => /first contact at .*, contacts /.test(document.getElementById('scenes-status').textContent), null, { timeout: 120000 });
    const cloth = await viewer.evaluate(() => window.graze.state());
    console.log(`  cloth: ${cloth.opened} frames when the viewer opened, ${cloth.frames} at the end, ${cloth.replaced} parts, drawn ${cloth.drawn} times`);
    assert.ok(cloth.replaced >= 3 && cloth.frames > cloth.opened && cloth.drawn >= 3);
    assert.equal(await problem(page), '');
    await shoot(page, 'scene-cloth-dark.png');
    // Stopped from within the page, at the twelfth part: the whole scene takes seconds.
    await page.evaluate(() => {
      const status = document.getElementById('scenes-status');
      let parts = 0;
      new MutationObserver((_, observer) => {
        if (!/ simulated$/.test(status.textContent) || ++parts < 12) return;
        observer.disconnect();
        document.getElementById('scene-stop').click();
      }).observe(status, { childList: true, characterData: true, subtree: true });
    });
    await page.locator('#scene-hoop').click();
    await page.waitForFunction(() => /, stopped$/.test(document.getElementById('scenes-status').textContent), null, { timeout: 60000 });
    assert.ok(await page.locator('#scene-stop').isDisabled());
    viewer = await viewerOf(page, 'scenes-frame');
    await viewer.waitForFunction(() => window.graze.state().frames >= 12);
    assert.match(await viewer.locator('#facts').innerText(), /crossings 0/);
    await shoot(page, 'scene-hoop-dark.png');
  },

  async 'the sliders of the knots move the contact in the same view'() {
    const page = await open();
    await page.locator('#tab-scenes').click();
    await page.locator('#scene-knots').click();
    const status = () => page.locator('#scenes-status').innerText();
    await page.waitForFunction(() => /contact at 0\./.test(document.getElementById('scenes-status').textContent));
    const viewer = await viewerOf(page, 'scenes-frame');
    const before = await viewer.evaluate(() => window.graze.state());
    assert.equal(before.contacts, 1);
    const text = await status();
    await page.locator('#pose-turn').fill('30');
    await page.waitForFunction((old) => /contact at 0\./.test(document.getElementById('scenes-status').textContent) && document.getElementById('scenes-status').textContent.replace(/computing.*/, '') !== old, text.replace(/computing.*/, ''));
    const after = await viewer.evaluate(() => window.graze.state());
    assert.notEqual(after.time, before.time);
    assert.equal(after.time, after.contact.time);
    await shoot(page, 'scene-knots-light.png');
    // Far apart they do not meet.
    await page.locator('#pose-y').fill('6');
    await page.waitForFunction(() => /verdict separated/.test(document.getElementById('scenes-status').textContent));
    await viewer.waitForFunction(() => window.graze.state().contacts === 0);
    // From the keyboard.
    await page.locator('#pose-y').press('ArrowLeft');
    assert.equal(await page.locator('#pose-y').inputValue(), '5.99');
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
  },

  async 'phones and both themes'() {
    run('generate', 'cloth_on_cone', '--count', 2000, '--out', 'cloth');
    for (const theme of ['light', 'dark']) {
      const page = await open(theme, phone);
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than the phone');
      await page.waitForTimeout(300);
      // All controls can be reached by scrolling the page.
      const { top, bottom } = await page.evaluate(() => {
        const box = document.getElementById('cost').getBoundingClientRect();
        return { top: box.top, bottom: box.bottom - document.documentElement.scrollHeight };
      });
      assert.ok(top > 844 && bottom <= 0, `the last text is at ${top} and ends ${bottom} below the page`);
      await page.screenshot({ path: path.join(out, `phone-${theme}.png`), fullPage: true });
      for (const [tab, show, frame] of [
        ['meshes', () => page.setInputFiles('#files', [path.join(out, 'cloth/1.ply'), path.join(out, 'cloth/2.ply')]), 'meshes-frame'],
        ['scenes', () => page.locator('#scene-knots').click(), 'scenes-frame'],
      ]) {
        await page.locator(`#tab-${tab}`).click();
        for (const view of ['empty', 'full']) {
          if (view === 'full') {
            await show();
            await viewerOf(page, frame);
          }
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `the tab ${tab}, ${view}, is wider than the phone`);
        }
      }
      await page.waitForTimeout(500);
      await page.screenshot({ path: path.join(out, `phone-scenes-${theme}.png`), fullPage: true });
      }
    const page = await open('dark', large);
    await page.selectOption('#preset', 'corpus:ee_parallel_pass_one_ulp_apart');
    await page.waitForTimeout(1500);
    await shoot(page, 'query-dark.png');
    await page.locator('#theme').click();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
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
