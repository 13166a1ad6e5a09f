import '../../src/style.css';
import './playground.css';

import { load } from './graze/graze';
import { decode } from './embedded';
import { MeshesTab, ScenesTab } from './frames_tabs';
import { QueryTab } from './query_tab';
import { Work } from './work';
import PlaygroundWorker from './worker?worker&inline';

const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

// Shows a failure above everything; an empty text removes it.
export function report(problem: unknown) {
  element('problem').textContent = problem instanceof Error ? problem.message : String(problem);
}

function connectTabs() {
  const tabs = [...document.querySelectorAll<HTMLButtonElement>('[role=tab]')];
  const open = (chosen: HTMLButtonElement) => {
    for (const tab of tabs) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      element(tab.getAttribute('aria-controls')!).hidden = tab !== chosen;
    }
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener('click', () => open(tab));
    tab.addEventListener('keydown', ({ key }) => {
      const by = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? tabs.length - 1 : 0;
      if (by === 0) return;
      const next = tabs[(i + by) % tabs.length];
      open(next);
      next.focus();
    });
  });
  return (name: string) => open(element(`tab-${name}`));
}

function connectTheme() {
  const kept = () => {
    try {
      return localStorage.getItem('graze-theme');
    } catch {
      return null; // Browsers may refuse storage to a page that was opened from disk.
    }
  };
  const set = (theme: string) => (document.documentElement.dataset.theme = theme);
  set(kept() ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
  element('theme').addEventListener('click', () => {
    const theme = set(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
    try {
      localStorage.setItem('graze-theme', theme);
    } catch {
      // The choice is not kept.
    }
  });
}

async function start() {
  connectTheme();
  const open = connectTabs();
  const module = await WebAssembly.compile(decode('wasm'));
  const graze = await load(module);
  // Each tab has its own worker: meshes and scenes may run for long.
  const worker = () => new Work(() => new PlaygroundWorker(), module);
  const query = new QueryTab(graze, worker(), report);
  const meshes = new MeshesTab(worker(), report, () => open('meshes'));
  const scenes = new ScenesTab(worker(), report);
  (window as unknown as Record<string, unknown>).playground = { query: query.handle, meshes, scenes, open };
}

start().catch(report);
