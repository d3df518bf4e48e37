import { createRoot } from 'react-dom/client'
import { App } from './App'
import './page.css'

document.documentElement.dataset.theme = localStorage.getItem('moot.theme') ?? 'auto'
createRoot(document.getElementById('page')!).render(<App />)
