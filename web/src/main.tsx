import { createRoot } from 'react-dom/client'
import { App } from './pages/app'
import { Boundary } from './pages/boundary'
import { Entrance } from './pages/entrance'
import './ui/page.css'

document.documentElement.dataset.theme = localStorage.getItem('moot.theme') ?? 'auto'
createRoot(document.getElementById('page')!).render(
  <Boundary>
    <Entrance>
      <App />
    </Entrance>
  </Boundary>,
)
