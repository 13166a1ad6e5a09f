// node pages_test.mjs GRAZE PACKAGES OUT
// Writes pages with the command GRAZE, opens them in Chromium, operates them with mouse and keyboard, and
// checks the result. PACKAGES is the folder that holds node_modules. Pages and screenshots are left in OUT.
// Any message in the console of the browser is a failure. Exit code 0: passed, 1: failed, 77: skipped.
import { spawnSync } from 'node:child_process';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [graze, packages, out] = process.argv.slice(2).map((argument) => path.resolve(argument));
const skip = (why) => {
  console.log(`SKIPPED: ${why}`);
  process.exit(77);
};
const browserFile = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim())
  .find((file) => file);
if (!browserFile) skip('the tests need Chromium, which is not installed');
if (!fs.existsSync(path.join(packages, 'node_modules/playwright-core'))) skip(`${packages} has no node_modules/playwright-core: npm has not installed the packages of web/`);
const load = createRequire(path.join(packages, 'package.json'));
const { chromium } = load('playwright-core');
const validator = load('gltf-validator');

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

async function open(file, colorScheme = 'light', hash = '', viewport = { width: 1280, height: 800 }) {
  const page = await browser.newPage({ viewport, colorScheme });
  page.on('console', (message) => messages.push(`${file}: ${message.text()}`));
  page.on('pageerror', (error) => messages.push(`${file}: ${error}`));
  page.on('request', (request) => {
    if (/^(https?|ws):/.test(request.url())) messages.push(`${file}: requests ${request.url()}`);
  });
  await page.goto(`file://${path.join(out, file)}${hash}`);
  await page.waitForFunction(() => window.graze && window.graze.state().drawn > 0);
  return page;
}
const state = (page) => page.evaluate(() => window.graze.state());
const shoot = (page, name) => page.screenshot({ path: path.join(out, name) });
// Moves the slider to a fraction of its range. The browser rounds the value to 15 digits.
function slideTo(page, part) {
  return page.locator('#slider').evaluate((slider, value) => {
    slider.value = String(value);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  }, part);
}
// Returns the number of clearly red and blue pixels of the scene, and their mean place along x.
async function colorsOf(page) {
  const picture = (await page.locator('canvas').first().screenshot()).toString('base64');
  return page.evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    canvas.drawImage(bitmap, 0, 0);
    const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
    const found = { red: { count: 0, x: 0 }, blue: { count: 0, x: 0 } };
    for (let i = 0; i < data.length; i += 4) {
      const [red, green, blue] = data.slice(i, i + 3);
      const color = red > 200 && green < 110 && blue < 120 ? found.red : blue > red + 40 ? found.blue : null;
      if (!color) continue;
      ++color.count;
      color.x += (i / 4) % bitmap.width;
    }
    for (const color of Object.values(found)) color.x /= color.count;
    return found;
  }, picture);
}

const tests = {
  async 'the lock file pins every package and names no registry and no folder'() {
    const { packages: locked } = JSON.parse(fs.readFileSync(path.join(packages, 'package-lock.json'), 'utf8'));
    for (const [name, { version, integrity, resolved, link }] of Object.entries(locked)) {
      if (name === '') continue;
      assert.match(name, /^node_modules\//);
      assert.ok(version && integrity, `${name} has no version or no checksum`);
      assert.ok(resolved === undefined && link === undefined, `${name} comes from ${resolved}`);
    }
  },

  async 'a recording passes the glTF validator'() {
    run('sim', 'hoop', '--seconds', 0.3, '--record', 'hoop.glb');
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(path.join(out, 'hoop.glb'))));
    assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages));
    assert.equal(report.issues.numWarnings, 0, JSON.stringify(report.issues.messages));
  },

  async 'a step opens at its first contact, and the slider returns to it'() {
    run('generate', 'cloth_on_cone', '--count', 2000, '--out', 'cloth');
    const answer = JSON.parse(run('step', 'cloth/1.ply', 'cloth/2.ply', '--json', '--html', 'step.html'));
    const page = await open('step.html');
    const first = await state(page);
    assert.equal(first.contacts, answer.contacts);
    assert.equal(first.time, answer.toi);
    assert.deepEqual(first.contact.names, [answer.a, answer.b]);
    await shoot(page, 'step.png');
    await slideTo(page, 0);
    assert.equal((await state(page)).contact, null);
    assert.equal(await page.locator('.row.current').count(), 0);
    await page.keyboard.press('n');
    await page.keyboard.press('n');
    const second = (await state(page)).time;
    assert.ok(second > answer.toi);
    await slideTo(page, (answer.toi + second) / 2);
    assert.equal((await state(page)).contact.time, answer.toi);
    assert.match(await page.locator('#caption').innerText(), new RegExp(`${answer.kind} at ${answer.toi}`));
    assert.equal(await page.locator('.row.current').count(), 1);
    await page.close();
  },

  async 'shortcuts play, go to frames and contacts, and change the drawing style'() {
    const page = await open('step.html', 'dark');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await page.keyboard.press('Home');
    assert.equal((await state(page)).time, 0);
    await page.keyboard.press('n');
    const first = await state(page);
    await page.keyboard.press('n');
    const second = await state(page);
    assert.equal(first.contact.index, 0);
    assert.equal(second.contact.index, 1);
    assert.ok(second.time >= first.time);
    await page.keyboard.press('p');
    assert.equal((await state(page)).contact.index, 0);
    await page.keyboard.press('ArrowRight');
    assert.ok((await state(page)).time > first.time);
    const shading = (await state(page)).shading;
    await page.keyboard.press('w');
    assert.notEqual((await state(page)).shading, shading);
    await page.keyboard.press('t');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
    await page.keyboard.press('?');
    assert.ok(await page.locator('#help').isVisible());
    await page.keyboard.press('?');
    await page.keyboard.press('Home');
    await page.keyboard.press(' ');
    await page.waitForFunction(() => window.graze.state().time > 0);
    await page.keyboard.press(' ');
    assert.equal((await state(page)).playing, false);
    await page.locator('.row').nth(3).click();
    assert.equal((await state(page)).contact.index, 3);
    await page.keyboard.press('z');
    await shoot(page, 'keys.png');
    await page.close();
  },

  async 'a focused control keeps its own keys and leaves the others to the shortcuts'() {
    const page = await open('step.html');
    const shading = async () => (await state(page)).shading;
    await page.locator('#shading').focus();
    for (const key of [' ', 'Enter']) {
      const before = await shading();
      await page.keyboard.press(key);
      assert.notEqual(await shading(), before, `${key} does not press the focused button`);
      assert.equal((await state(page)).playing, false);
    }
    await page.keyboard.press('Home');
    assert.equal((await state(page)).time, 0);
    await page.keyboard.press('n');
    assert.equal((await state(page)).contact.index, 0);
    await page.keyboard.press('ArrowRight');
    assert.ok((await state(page)).time > 0);
    // After a click on a button, Space is a shortcut again.
    const before = await shading();
    await page.locator('#fit').click();
    await page.keyboard.press(' ');
    assert.equal((await state(page)).playing, true);
    await page.keyboard.press(' ');
    assert.equal((await state(page)).playing, false);
    assert.equal(await shading(), before);
    await page.locator('#slider').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('n');
    assert.equal((await state(page)).contact.index, 0);
    const { time } = await state(page);
    await page.keyboard.press('ArrowRight');
    assert.ok(Math.abs((await state(page)).time - time - 1 / 60) < 1e-9);
    await page.keyboard.press(' ');
    assert.equal((await state(page)).playing, true);
    await page.keyboard.press(' ');
    // While the help is open, keys have no effect on the page behind it.
    await page.keyboard.press('?');
    const stopped = await state(page);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('n');
    assert.equal((await state(page)).time, stopped.time);
    await page.keyboard.press('Escape');
    assert.ok(!(await page.locator('#help').isVisible()));
    assert.equal(await page.evaluate(() => document.activeElement.id), 'slider');
    // After the help is closed, all keys work.
    await page.locator('#slider').blur();
    await page.keyboard.press('?');
    await page.keyboard.press('?');
    await page.keyboard.press(' ');
    assert.equal((await state(page)).playing, true);
    await page.close();
  },

  async 'the list of contacts works from the keyboard'() {
    const page = await open('step.html');
    await page.keyboard.press('Home');
    const focused = () => page.evaluate(() => document.activeElement.id);
    for (let tabs = 0; tabs < 30 && (await focused()) !== 'rows'; ++tabs) await page.keyboard.press('Tab');
    assert.equal(await focused(), 'rows');
    const list = page.getByRole('listbox', { name: /contacts/ });
    const active = () => list.getAttribute('aria-activedescendant');
    const selected = () => page.locator('[role=option][aria-selected=true]').evaluateAll((rows) => rows.map((row) => row.id));
    assert.equal(await active(), 'contact-0');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.equal(await active(), 'contact-2');
    assert.equal((await state(page)).contact, null);
    await page.keyboard.press('Enter');
    assert.equal((await state(page)).contact.index, 2);
    assert.deepEqual(await selected(), ['contact-2']);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press(' ');
    assert.equal((await state(page)).contact.index, 1);
    assert.equal((await state(page)).playing, false);
    assert.deepEqual(await selected(), ['contact-1']);
    // The selected row does not use Space, so Space plays.
    await page.keyboard.press(' ');
    assert.equal((await state(page)).playing, true);
    await page.keyboard.press(' ');
    const last = (await state(page)).contacts - 1;
    await page.keyboard.press('End');
    assert.equal(await active(), `contact-${last}`);
    await page.waitForFunction((id) => {
      const bottom = (element) => element.getBoundingClientRect().bottom;
      const row = document.getElementById(id);
      return row && bottom(row) <= bottom(document.getElementById('rows')) + 1;
    }, `contact-${last}`);
    const row = page.locator(`#contact-${last}`);
    assert.equal(await row.getAttribute('aria-posinset'), String(last + 1));
    assert.equal(await row.getAttribute('aria-setsize'), String(last + 1));
    await page.keyboard.press('Enter');
    assert.equal((await state(page)).contact.index, last);
    await page.keyboard.press('p');
    assert.equal(await active(), `contact-${last - 1}`);
    await page.keyboard.press('PageUp');
    await page.keyboard.press('Home');
    assert.equal(await active(), 'contact-0');
    await shoot(page, 'list.png');
    await page.close();
  },

  async 'stepping over contacts leaves no objects on the graphics card'() {
    const page = await open('step.html');
    // Draws `count` contacts from `first` on, each at its time and a little later.
    const visit = (first, count) =>
      page.evaluate(
        async ([first, count]) => {
          const { graze } = window;
          const drawn = async () => {
            const before = graze.state().drawn;
            while (graze.state().drawn === before) await new Promise(requestAnimationFrame);
          };
          for (let i = first; i < first + count; ++i) {
            graze.choose(i % graze.state().contacts);
            await drawn();
            graze.seek(graze.state().time + 1e-4);
            await drawn();
          }
          return graze.memory();
        },
        [first, count],
      );
    const before = await visit(0, 12);
    const after = await visit(12, 30);
    assert.ok(before.geometries > 0 && before.materials > 0);
    assert.deepEqual(after, before);
    await page.close();
  },

  async 'a page of two rigid bodies shows the contact that the command reports'() {
    run('generate', 'knot_2880', '--out', 'knot.obj');
    run('generate', 'ring', '--out', 'ring.obj');
    const answer = JSON.parse(run('rigid', 'knot.obj', 'ring.obj', '--from', '4 0 0', '--to', '-4 0 0 0 60 0', '--json', '--html', 'rigid.html'));
    const page = await open('rigid.html');
    const { contact, time } = await state(page);
    assert.equal(time, answer.toi);
    // The page shows all features within the threshold.
    const near = (point) => contact.point.every((x, k) => Math.abs(x - point[k]) < 1e-5);
    const shown = answer.features.find(({ point_a }) => near(point_a));
    assert.equal(shown.kind, 'vertex-face');
    assert.equal(contact.names[0], shown.vertices_a[0]);
    await shoot(page, 'rigid.png');
    await page.close();
  },

  async 'a page of a simulation steps through frames and contacts'() {
    run('sim', 'hoop', '--seconds', 0.5, '--html', 'hoop.html');
    const page = await open('hoop.html');
    const begin = await state(page);
    assert.equal(begin.time, 0);
    assert.equal(begin.frames, 31);
    assert.ok(begin.contacts > 0);
    await page.keyboard.press('ArrowRight');
    assert.ok(Math.abs((await state(page)).time - 1 / 60) < 1e-9);
    await page.keyboard.press('n');
    assert.equal((await state(page)).contact.index, 0);
    await shoot(page, 'hoop.png');
    await page.close();
  },

  async 'a page of a trace opens at its contact'() {
    run('generate', 'cube', '--out', 'cube.obj');
    const answer = JSON.parse(run('trace', 'cube.obj', 'cube.obj', '--from', '4 0.25 0', '--to', '0 0 0', '--json', '--html', 'trace.html'));
    const page = await open('trace.html');
    assert.equal((await state(page)).contact.time, answer.fraction);
    await shoot(page, 'trace.png');
    await page.close();
  },

  async 'a page of a free path has no contacts to go to'() {
    fs.writeFileSync(path.join(out, 'arm.urdf'), `<robot name="arm">
      <link name="base"><collision><geometry><box size="0.4 0.4 0.2"/></geometry></collision></link>
      <link name="arm"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.8 0.1 0.1"/></geometry></collision></link>
      <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
        <limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>`);
    fs.writeFileSync(path.join(out, 'arm.csv'), 'time,turn\n0,0\n1,2\n');
    run('path', 'arm.urdf', 'arm.csv', '--html', 'path.html');
    const page = await open('path.html');
    assert.equal((await state(page)).contacts, 0);
    assert.ok(await page.locator('#previous').isDisabled() && (await page.locator('#next').isDisabled()));
    assert.ok(!(await page.locator('#contacts').isVisible()));
    assert.match(await page.locator('#facts').innerText(), /verdict separated/);
    await page.keyboard.press('n');
    await page.keyboard.press('End');
    assert.equal((await state(page)).time, 1);
    await shoot(page, 'path.png');
    await page.close();
  },

  async 'a page of a blocked path moves the robot and marks its only contact'() {
    const post = { name: 'post', box: [0.05, 0.05, 0.6], from: { position: [0, 0.7, 0.3] } };
    fs.writeFileSync(path.join(out, 'post.json'), JSON.stringify({ format: 'graze-rigid-1', bodies: [post] }));
    const answer = JSON.parse(run('path', 'arm.urdf', 'arm.csv', '--world', 'post.json', '--json', '--html', 'blocked.html'));
    assert.equal(answer.verdict, 'contact');
    assert.ok(answer.time > 0 && answer.time < 1);
    const page = await open('blocked.html');
    const begin = await state(page);
    assert.equal(begin.contacts, 1);
    assert.equal(begin.time, 0);
    assert.equal(begin.contact, null);
    assert.equal(await page.locator('.row').count(), 1);
    await page.keyboard.press('n');
    const first = await state(page);
    assert.equal(first.time, answer.time);
    assert.equal(first.contact.time, answer.time);
    assert.deepEqual([answer.a, answer.b], ['arm', 'post']);
    assert.match(await page.locator('#caption').innerText(), /arm.*post/s);
    assert.deepEqual(first.contact.names, [answer.face_a, answer.face_b]);
    first.contact.point.forEach((x, k) => assert.ok(Math.abs(x - answer.point_a[k]) < 1e-6));
    assert.equal(await page.locator('.row.current').count(), 1);
    assert.match(await page.locator('#facts').innerText(), /verdict contact/);
    await shoot(page, 'blocked.png');
    // The arm is blue, the mark red. Just before the contact there is no mark; at the start the arm is elsewhere.
    await page.addStyleTag({ content: 'body :not(:has(canvas)):not(canvas) { visibility: hidden }' });
    const marked = await colorsOf(page);
    assert.ok(marked.red.count > 100, `${marked.red.count} pixels show the mark`);
    await slideTo(page, answer.time * (1 - 1e-9));
    assert.equal((await state(page)).contact, null);
    assert.equal(await page.locator('.row.current').count(), 0);
    assert.equal((await colorsOf(page)).red.count, 0);
    await page.keyboard.press('Home');
    const start = await colorsOf(page);
    assert.ok(start.blue.count > 1000 && marked.blue.count > 1000);
    assert.ok(Math.abs(start.blue.x - marked.blue.x) > 50, 'the arm does not move');
    await page.close();
  },

  async 'a page of a query marks the methods that miss the contact'() {
    run('generate', 'double_root', '--kind', 'vertex-face', '--count', 40, '--seed', 1, '--out', 'vertex-face.csv');
    run('query', 'vertex-face.csv', '--show', 7, '--html', 'query.html');
    const page = await open('query.html');
    assert.equal(await page.locator('.method.missed .name', { hasText: /^cubic_root$/ }).count(), 1);
    assert.equal(await page.locator('.method.missed .name', { hasText: /^exact$/ }).count(), 0);
    assert.equal(await page.locator('.truth .interval').count(), 1);
    assert.ok((await state(page)).contact !== null);
    await slideTo(page, 0);
    assert.equal((await state(page)).contact, null);
    await slideTo(page, 2 / 3);
    await shoot(page, 'query.png');
    await page.close();
  },

  async 'a phone shows all controls, and the list of contacts on request'() {
    for (const [file, colorScheme] of [['step.html', 'light'], ['query.html', 'dark']]) {
      const page = await open(file, colorScheme, '', { width: 390, height: 844 });
      // Returns the names of controls and texts that are outside the window or that cover each other.
      const misplaced = () =>
        page.evaluate(() => {
          const boxes = [...document.querySelectorAll('button, input, output, h1, #facts, #caption, #contacts')]
            .map((element) => ({ name: element.id, box: element.getBoundingClientRect() }))
            .filter(({ box }) => box.width > 0 && box.height > 0);
          const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
          return boxes.flatMap(({ name, box }, i) => [
            ...(box.left < 0 || box.right > innerWidth || box.top < 0 || box.bottom > innerHeight ? [name] : []),
            ...boxes.slice(0, i).filter((other) => !apart(box, other.box)).map((other) => `${name} on ${other.name}`),
          ]);
        });
      assert.ok(!(await page.locator('#contacts').isVisible()));
      assert.deepEqual(await misplaced(), []);
      await shoot(page, `phone-${file.replace('.html', '.png')}`);
      if (file === 'step.html') {
        await page.locator('#panel').click();
        assert.ok(await page.locator('#contacts').isVisible());
        assert.deepEqual(await misplaced(), []);
        await page.locator('.row').nth(2).click();
        assert.equal((await state(page)).contact.index, 2);
        await shoot(page, 'phone-list.png');
      }
      await page.close();
    }
  },

  async 'the report of a benchmark links to its worst queries'() {
    run('bench', 'vertex-face.csv', '--methods', 'exact,cubic_root', '--budget', 0.01, '--out', 'bench');
    const report = fs.readFileSync(path.join(out, 'bench/report.html'), 'utf8');
    const link = report.match(/href="queries\.html(#[^"]*)"/);
    assert.ok(link, 'the report has no link');
    const page = await open('bench/queries.html', 'light', link[1]);
    assert.equal(await page.evaluate(() => document.querySelector('h1 select')?.value ?? location.hash.slice(1)), link[1].slice(1));
    assert.ok((await page.locator('.method.missed').count()) >= 1);
    // Keys that are pressed in the list of queries act on the list.
    const speed = await page.locator('#speed').innerText();
    await page.locator('h1 select').focus();
    await page.keyboard.press('-');
    assert.equal(await page.locator('#speed').innerText(), speed);
    await page.close();
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    assert.deepEqual(messages, []);
    console.log(`ok      ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}\n${error.stack ?? error}`);
  }
  messages.length = 0;
}
await browser.close();
console.log(`screenshots are in ${out}`);
process.exit(failed ? 1 : 0);
