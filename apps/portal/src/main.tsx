import { render } from 'preact';
import { App } from './app';
import './styles.css';
import { startLanguage } from './state/choose-language';
import { resume } from './state/session';
import { keepShell } from './state/shell-worker';
import { applyTheme } from './state/theme';
import { readWaiting } from './waiting/waiting';

applyTheme();
void resume();
void readWaiting();
keepShell();
await startLanguage();
render(<App />, document.getElementById('portal')!);
