import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'portal.theme';
const kept = localStorage.getItem(KEY);
export const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'system');

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.value;
}

export function nextTheme(): void {
  const order: readonly Theme[] = ['system', 'light', 'dark'];
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length]!;
  localStorage.setItem(KEY, theme.value);
  applyTheme();
}
