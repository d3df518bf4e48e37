import { createRoot } from 'react-dom/client'
import { App } from './pages/app'
import { Boundary } from './pages/boundary'
import './ui/page.css'

document.documentElement.dataset.theme = localStorage.getItem('moot.theme') ?? 'auto'
createRoot(document.getElementById('page')!).render(
  <Boundary>
    <App />
  </Boundary>,
)
