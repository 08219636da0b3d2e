import { render } from 'preact';
import { App } from './app';
import './styles.css';
import { startLanguage } from './state/choose-language';
import { resume } from './state/session';
import { applyTheme } from './state/theme';

applyTheme();
void resume();
await startLanguage();
render(<App />, document.getElementById('portal')!);
