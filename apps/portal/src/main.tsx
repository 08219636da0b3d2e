import { render } from 'preact';
import { App } from './app';
import './styles.css';
import { resume } from './state/session';
import { applyTheme } from './state/theme';

applyTheme();
void resume();
render(<App />, document.getElementById('portal')!);
