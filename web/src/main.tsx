import { createRoot } from 'react-dom/client'
import { App } from './pages/app'
import './ui/page.css'

document.documentElement.dataset.theme = localStorage.getItem('moot.theme') ?? 'auto'
createRoot(document.getElementById('page')!).render(<App />)
