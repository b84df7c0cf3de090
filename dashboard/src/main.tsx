import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { askOnTraversal } from './kit/unsaved.ts';
import './kit/base.css';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id "root".');
askOnTraversal();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
